/** Rules of buckets that expire objects, versions and uploads. */
@NullMarked
package io.bulwark.gateway.s3.lifecycle;

import org.jspecify.annotations.NullMarked;
