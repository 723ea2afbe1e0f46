/** Lists of buckets, objects and versions. */
@NullMarked
package io.bulwark.gateway.s3.listing;

import org.jspecify.annotations.NullMarked;
