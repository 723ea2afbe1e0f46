/**
 * What can go wrong, each expected failure a type of its own, with the bucket, the key, the node and the cause in the
 * message. All are unchecked: callers catch what they can handle.
 */
@NullMarked
package io.bulwark.client.error;

import org.jspecify.annotations.NullMarked;
