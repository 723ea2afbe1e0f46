/**
 * A systematic fountain code (e-SAFE 4.1) with the structure of RaptorQ (RFC 6330): a precode of dense constraints over GF(2^8),
 * and symbols that are sparse sums of intermediate symbols. Symbols are linear over the field of the fingerprints.
 */
@NullMarked
package io.bulwark.protocol.fountain;

import org.jspecify.annotations.NullMarked;
