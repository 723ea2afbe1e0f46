/** Local accounts of the console, kept in files of its directory: who has access to that directory decides who signs in. */
@NullMarked
package io.bulwark.console.account;

import org.jspecify.annotations.NullMarked;
