package io.bulwark.gateway.s3.policy;

import io.bulwark.protocol.id.PrincipalId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Policy of a bucket: statements that allow or deny actions. A denial outweighs all that allows. */
public record BucketPolicy(List<Statement> statements) {
    /** Prefix of the names of resources. */
    static final String RESOURCE = "arn:aws:s3:::";

    /** Denies all to everybody. */
    public static final BucketPolicy DENIAL = new BucketPolicy(List.of(new Statement(
            false,
            new Statement.Principals(false, List.of("*")),
            new Statement.Patterns(false, List.of("*")),
            new Statement.Patterns(false, List.of("*")),
            List.of())));

    public BucketPolicy {
        statements = List.copyOf(statements);
    }

    /** Outcome for one action. */
    public enum Verdict {
        ALLOWED,
        DENIED,
        /** No statement is about it. */
        SILENT
    }

    /**
     * Judges one action.
     *
     * @param person empty for a request without a signature
     * @param action such as {@code s3:GetObject}
     * @param resource bucket, or bucket and key with a slash between
     */
    public Verdict judge(Optional<PrincipalId> person, String action, String resource, Facts facts) {
        String lower = action.toLowerCase(Locale.ROOT);
        Verdict verdict = Verdict.SILENT;
        for (Statement statement : statements) {
            if (statement.appliesTo(person, lower, RESOURCE + resource, facts)) {
                if (!statement.allow()) {
                    return Verdict.DENIED;
                }
                verdict = Verdict.ALLOWED;
            }
        }
        return verdict;
    }

    /** Returns whether it allows something to everybody. */
    public boolean isPublic() {
        return statements.stream().anyMatch(Statement::isPublic);
    }
}
