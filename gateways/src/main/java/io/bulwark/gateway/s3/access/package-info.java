/** Access keys: each belongs to a person for whom the gateway acts, and may be limited to buckets and prefixes. */
@NullMarked
package io.bulwark.gateway.s3.access;

import org.jspecify.annotations.NullMarked;
