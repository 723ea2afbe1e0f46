/** Settings of buckets that the protocol has beside those of Bulwark, remembered for a short time. */
@NullMarked
package io.bulwark.gateway.s3.setting;

import org.jspecify.annotations.NullMarked;
