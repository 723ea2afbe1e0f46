package io.bulwark.console.principal;

import io.bulwark.client.Principals;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A principal with its grants.
 *
 * @param grants of a client; null if it is none, or the person may not see them
 * @param actFor persons on whose behalf a client acts, such as the console or a gateway; null as above
 */
record PrincipalDetail(
        PrincipalView principal,
        @Nullable List<GrantView> grants,
        @Nullable List<ActForView> actFor) {
    /**
     * Person on whose behalf a client acts.
     *
     * @param rights ceiling of that person's rights there
     */
    record ActForView(String person, List<String> rights) {
        static ActForView of(Principals.ActFor actFor) {
            return new ActForView(actFor.person().toString(), actFor.ceiling().names());
        }
    }
}
