/** Webhooks, which S3 gateways notify of changes in buckets. */
@NullMarked
package io.bulwark.console.webhook;

import org.jspecify.annotations.NullMarked;
