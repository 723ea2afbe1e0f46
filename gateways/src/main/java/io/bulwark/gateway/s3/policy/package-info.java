/** Bucket policies: the subset that this gateway enforces. */
@NullMarked
package io.bulwark.gateway.s3.policy;

import org.jspecify.annotations.NullMarked;
