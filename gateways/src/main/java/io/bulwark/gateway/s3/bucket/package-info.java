/** Operations about buckets and their settings. */
@NullMarked
package io.bulwark.gateway.s3.bucket;

import org.jspecify.annotations.NullMarked;
