/**
 * Registers whose holders are replaced again and again, in campaigns, whatever the protocol (docs/decisions/0016): the volume as the replicas have it, the
 * operator, what nodes owe the metadata, and clients that go on in the epoch of now.
 */
@NullMarked
package io.bulwark.simulation.register;

import org.jspecify.annotations.NullMarked;
