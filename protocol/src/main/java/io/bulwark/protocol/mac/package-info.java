/**
 * Message authentication codes between servers that share pairwise keys (thesis 4.2; docs/protocols/coding.md): HMAC-SHA-256,
 * cut to 16 bytes where it travels. The keys are there for good, or change under their users (proactive recovery paper, 4.1).
 */
@NullMarked
package io.bulwark.protocol.mac;

import org.jspecify.annotations.NullMarked;
