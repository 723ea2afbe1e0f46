/** Fakes of the SDK and a console without a server, for the tests of all pages. */
@NullMarked
package io.bulwark.console;

import org.jspecify.annotations.NullMarked;
