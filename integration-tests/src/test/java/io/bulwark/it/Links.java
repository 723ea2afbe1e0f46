package io.bulwark.it;

import io.bulwark.protocol.id.PrincipalId;
import java.io.IOException;
import java.util.function.Predicate;
import org.jspecify.annotations.NullMarked;

/** Connections of members, which a test can cut and restore. */
@NullMarked
interface Links {
    /** The hardest cut there is of this kind. */
    void cut(String member, Predicate<PrincipalId> peers) throws IOException;

    /** Keeps connections open, but passes nothing between the member and these peers; later it does. */
    void silence(String member, Predicate<PrincipalId> peers) throws IOException;

    /** All that this member was cut off from by its own name it meets again. */
    void heal(String member) throws IOException;
}
