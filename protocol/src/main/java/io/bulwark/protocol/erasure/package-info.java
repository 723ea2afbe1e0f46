/**
 * The linear m-of-n erasure code (thesis, section 2.1.3): systematic Reed-Solomon over GF(2^8) with the generator matrix
 * of Backblaze JavaReedSolomon, coded by that library's loop or, where {@code jdk.incubator.vector} is resolved, by
 * vector instructions; both give the same bytes.
 */
@NullMarked
package io.bulwark.protocol.erasure;

import org.jspecify.annotations.NullMarked;
