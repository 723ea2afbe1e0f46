/**
 * A gateway for clients of the S3 protocol. It streams between HTTP and the SDK, keeps no state, and acts for the person
 * whose access key signed a request (docs/decisions, doors act for people).
 */
@NullMarked
package io.bulwark.gateway.s3;

import org.jspecify.annotations.NullMarked;
