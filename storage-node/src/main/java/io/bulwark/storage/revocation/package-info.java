/**
 * Puts revoked principals out of a node's register volumes, and tells whoever revokes how far that is (thesis 3.3.2 and 3.4.3;
 * docs/protocols/revocation.md).
 */
@NullMarked
package io.bulwark.storage.revocation;

import org.jspecify.annotations.NullMarked;
