/**
 * The PASIS register with lazy verification (Abd-El-Malek, Ganger, Goodson, Reiter, Wylie: Lazy verification in fault-tolerant
 * distributed storage systems, sections 2 to 4; docs/protocols/pasis.md): versioned fragments on N >= 4b + 1 nodes, whose writes
 * are verified by nodes in the background, by readers, or at write time. {@link io.bulwark.protocol.pasis.PasisWrite} and
 * {@link io.bulwark.protocol.pasis.PasisRead} are the client's side, {@link io.bulwark.protocol.pasis.PasisServer} the
 * node's. When blocks are verified in the background is decided outside, by who hears of them through
 * {@link io.bulwark.protocol.pasis.VerificationWatch} and sends {@link io.bulwark.protocol.pasis.PasisBackground}.
 */
@NullMarked
package io.bulwark.protocol.pasis;

import org.jspecify.annotations.NullMarked;
