/**
 * Encryption of objects at the client, so that no server sees plain text: each object in segments under AES-256-GCM with a data key of
 * its own, wrapped by a key that only its readers have. Not from the papers; docs/security.md says what it promises.
 */
@NullMarked
package io.bulwark.client.encryption;

import org.jspecify.annotations.NullMarked;
