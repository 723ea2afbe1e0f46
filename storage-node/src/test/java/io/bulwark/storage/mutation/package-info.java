/** Bugs planted in what a storage node does beside the protocols (lazy verification paper, 3.1 to 3.4), each of which a test must find. */
@NullMarked
package io.bulwark.storage.mutation;

import org.jspecify.annotations.NullMarked;
