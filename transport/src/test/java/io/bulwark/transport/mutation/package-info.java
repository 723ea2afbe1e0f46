/** Bugs planted in the transport: what builds of different versions say to each other, and what an older one is known by (decision 19). */
@NullMarked
package io.bulwark.transport.mutation;

import org.jspecify.annotations.NullMarked;
