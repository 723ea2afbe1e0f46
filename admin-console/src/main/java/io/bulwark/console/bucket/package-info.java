/** Buckets. */
@NullMarked
package io.bulwark.console.bucket;

import org.jspecify.annotations.NullMarked;
