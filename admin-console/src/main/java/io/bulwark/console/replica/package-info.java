/** Metadata replicas: their state and recoveries, and the changes that operators request. */
@NullMarked
package io.bulwark.console.replica;

import org.jspecify.annotations.NullMarked;
