/** The worker that expires objects, versions and uploads as the rules of their buckets say. */
@NullMarked
package io.bulwark.gateway.s3.expiration;

import org.jspecify.annotations.NullMarked;
