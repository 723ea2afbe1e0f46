/** Sign-in: who uses the console, and the client that acts for this person. */
@NullMarked
package io.bulwark.console.access;

import org.jspecify.annotations.NullMarked;
