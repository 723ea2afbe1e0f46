/** Bodies of requests: their framings are removed, and their lengths, signatures and checksums verified, as they stream. */
@NullMarked
package io.bulwark.gateway.s3.body;

import org.jspecify.annotations.NullMarked;
