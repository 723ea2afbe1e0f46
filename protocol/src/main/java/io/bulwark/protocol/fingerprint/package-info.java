/**
 * Homomorphic fingerprints and fingerprinted cross-checksums (thesis, sections 2.1 and 2.2), and what the protocols on
 * erasure-coded blocks share: how a block becomes fragments, and which fragments give a block (section 4.2.3).
 */
@NullMarked
package io.bulwark.protocol.fingerprint;

import org.jspecify.annotations.NullMarked;
