/**
 * Who the replicas are, for a process that speaks with them or is one of them: those of the genesis, and whoever a proof shows to have
 * followed them (docs/decisions/0020; PROTOCOLS section 7).
 */
@NullMarked
package io.bulwark.client.replicas;

import org.jspecify.annotations.NullMarked;
