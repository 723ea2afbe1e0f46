/**
 * The harness of planted bugs: a test declares by {@link PlantedBug} a change of production code that it must find. The harness compiles the
 * changed class in memory, loads Bulwark's classes anew around it, and runs that test.
 */
@NullMarked
package io.bulwark.protocol.mutation;

import org.jspecify.annotations.NullMarked;
