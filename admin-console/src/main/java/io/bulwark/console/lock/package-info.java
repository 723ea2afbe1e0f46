/** Locks of clients on parts of the namespace. */
@NullMarked
package io.bulwark.console.lock;

import org.jspecify.annotations.NullMarked;
