/**
 * Who is who: a principal's own key on P-256 with its self-signed X.509 certificate (thesis 2.1 and 3.3 presume authenticated
 * channels; PROTOCOLS section 7, Keys), and the check of a peer's certificate against the public keys that are known. There is no
 * certificate authority: a certificate only carries a key, and a key is believed because it is pinned. What the owner of a key does with it beside TLS, sign and agree, is a port, since the key
 * may lie in a device.
 */
@NullMarked
package io.bulwark.transport.identity;

import org.jspecify.annotations.NullMarked;
