/**
 * Signatures of requests, AWS Signature Version 4: in the header, in the query, of chunks and trailers, and of POST policies.
 * It follows "Authenticating Requests (AWS Signature Version 4)" of the S3 API reference.
 */
@NullMarked
package io.bulwark.gateway.s3.signature;

import org.jspecify.annotations.NullMarked;
