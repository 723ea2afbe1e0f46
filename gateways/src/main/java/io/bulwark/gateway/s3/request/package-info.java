/** One request of the S3 protocol and its response, independent of the HTTP server below. */
@NullMarked
package io.bulwark.gateway.s3.request;

import org.jspecify.annotations.NullMarked;
