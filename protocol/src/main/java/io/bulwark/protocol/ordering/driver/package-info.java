/**
 * Contract of a replica with its driver (docs/ordering): the configuration, the state machine that it executes, the
 * effects that the driver carries out, and the records that it keeps on disk. The inputs are the methods of {@code
 * ordering.replica.Replica}.
 */
@NullMarked
package io.bulwark.protocol.ordering.driver;

import org.jspecify.annotations.NullMarked;
