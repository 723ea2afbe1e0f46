/**
 * Agreement of the storage nodes on the keys of the MACs that they make for each other (proactive recovery paper, 4.1;
 * docs/protocols/fp.md; decision 17). The node that will verify sends NEW-KEY to the node that will speak, signed over a
 * fresh nonce of the latter. It repeats this periodically, and at once when a node has begun a new life.
 */
@NullMarked
package io.bulwark.protocol.agreement;

import org.jspecify.annotations.NullMarked;
