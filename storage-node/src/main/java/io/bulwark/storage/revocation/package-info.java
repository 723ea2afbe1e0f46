/**
 * Puts revoked principals out of a node's register volumes, and tells whoever revokes how far that is (thesis 3.3.2 and 3.4.3;
 * PROTOCOLS sections 2 and 3, revocation).
 */
@NullMarked
package io.bulwark.storage.revocation;

import org.jspecify.annotations.NullMarked;
