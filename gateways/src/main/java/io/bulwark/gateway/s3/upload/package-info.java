/** Multipart uploads. */
@NullMarked
package io.bulwark.gateway.s3.upload;

import org.jspecify.annotations.NullMarked;
