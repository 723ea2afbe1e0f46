package io.bulwark.console.principal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A principal with its grants.
 *
 * @param grants of a client; null if it is none, or the person may not see them
 */
record PrincipalDetail(PrincipalView principal, @Nullable List<GrantView> grants) {}
