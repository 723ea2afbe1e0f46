/** Moves trees of files to and from buckets, with their times and modes; measures puts and gets. */
@NullMarked
package io.bulwark.appliance.transfer;

import org.jspecify.annotations.NullMarked;
