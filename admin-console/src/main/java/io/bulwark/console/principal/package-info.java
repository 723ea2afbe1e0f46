/** Principals and grants: invitations, keys, revocation, suspension. */
@NullMarked
package io.bulwark.console.principal;

import org.jspecify.annotations.NullMarked;
