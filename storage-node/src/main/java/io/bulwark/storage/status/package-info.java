/** Answers of a node to questions about its status. No decision depends on these answers. */
@NullMarked
package io.bulwark.storage.status;

import org.jspecify.annotations.NullMarked;
