/**
 * Contract of a replica with its driver (docs/ordering). The inputs are the methods of {@code
 * ordering.replica.Replica}.
 *
 * <p>In reading order: {@link io.bulwark.protocol.ordering.driver.ReplicaConfig}, {@link
 * io.bulwark.protocol.ordering.driver.Application} (the state machine that is executed), {@link
 * io.bulwark.protocol.ordering.driver.ReplicaEffect} (actions for the driver), {@link
 * io.bulwark.protocol.ordering.driver.LogRecord} and its codec (what the disk keeps), {@link
 * io.bulwark.protocol.ordering.driver.StartReason}.
 */
@NullMarked
package io.bulwark.protocol.ordering.driver;

import org.jspecify.annotations.NullMarked;
