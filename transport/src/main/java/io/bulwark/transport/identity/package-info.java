/**
 * Identities: a principal's own key on P-256 with its self-signed X.509 certificate, and the check of a peer's
 * certificate against the known public keys. The thesis presumes authenticated channels (2.1 and 3.3; docs/ordering/recovery.md, session keys). There is no certificate authority: a certificate only carries a key, and a key is trusted because it is
 * pinned. The owner's use of a key beside TLS, to sign and agree, is a port, since the key may lie in a device.
 */
@NullMarked
package io.bulwark.transport.identity;

import org.jspecify.annotations.NullMarked;
