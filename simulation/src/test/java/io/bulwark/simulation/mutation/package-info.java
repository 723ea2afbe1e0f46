/**
 * The sanity side of the simulator: small, realistic bugs are planted in the protocols, one at a time, and each must be
 * found. The rules of PROTOCOLS that go beyond the papers, and the quorums of the papers themselves (thesis chapter
 * 4), are what the bugs switch off.
 */
@NullMarked
package io.bulwark.simulation.mutation;

import org.jspecify.annotations.NullMarked;
