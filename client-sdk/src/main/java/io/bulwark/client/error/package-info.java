/**
 * Failures of the client. Each expected failure has a type of its own, with the bucket, the key, the node and the cause
 * in the message. All are unchecked: callers catch those that they can handle.
 */
@NullMarked
package io.bulwark.client.error;

import org.jspecify.annotations.NullMarked;
