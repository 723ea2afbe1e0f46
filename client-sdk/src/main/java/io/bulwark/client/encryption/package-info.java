/**
 * Encryption of objects at the client, so that no server sees plain text. Each object is in segments under AES-256-GCM
 * with its own data key, wrapped by a key that only its readers have. Not from the papers; docs/security.md states its
 * promises.
 */
@NullMarked
package io.bulwark.client.encryption;

import org.jspecify.annotations.NullMarked;
