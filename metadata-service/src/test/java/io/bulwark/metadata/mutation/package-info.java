/** Bugs planted in what a replica does with its disk, beside the protocols (PROTOCOLS section 7, damage), each of which a test must find. */
@NullMarked
package io.bulwark.metadata.mutation;

import org.jspecify.annotations.NullMarked;
