/**
 * How the storage nodes agree on the keys of the MACs that they make for each other (proactive recovery paper, 4.1; PROTOCOLS section
 * 2; decision 17): NEW-KEY from who will verify to who will speak, signed over a fresh nonce of the latter, again and again, and at
 * once when a node has begun a new life.
 */
@NullMarked
package io.bulwark.protocol.agreement;

import org.jspecify.annotations.NullMarked;
