/** How a node answers when it is asked how it is. Nothing is decided by these answers. */
@NullMarked
package io.bulwark.storage.status;

import org.jspecify.annotations.NullMarked;
