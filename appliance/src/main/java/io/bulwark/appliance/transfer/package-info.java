/** Work on many objects at once: synchronising trees, verifying buckets, and measuring. */
@NullMarked
package io.bulwark.appliance.transfer;

import org.jspecify.annotations.NullMarked;
