package io.bulwark.gateway.s3.policy;

import io.bulwark.protocol.id.PrincipalId;
import java.util.List;
import java.util.Optional;

/** One statement of a policy. */
record Statement(
        boolean allow, Principals principals, Patterns actions, Patterns resources, List<Condition> conditions) {
    Statement {
        conditions = List.copyOf(conditions);
    }

    /**
     * Persons.
     *
     * @param except whether the statement is about all others
     * @param ids canonical user IDs; {@code *} for everybody
     */
    record Principals(boolean except, List<String> ids) {
        Principals {
            ids = List.copyOf(ids);
        }

        boolean contain(Optional<PrincipalId> person) {
            boolean named = ids.contains("*")
                    || person.filter(one -> ids.contains(one.toString())).isPresent();
            return named != except;
        }

        boolean isEverybody() {
            return except || ids.contains("*");
        }
    }

    /**
     * Actions or resources.
     *
     * @param except whether the statement is about all others
     */
    record Patterns(boolean except, List<String> patterns) {
        Patterns {
            patterns = List.copyOf(patterns);
        }

        boolean match(String text) {
            return patterns.stream().anyMatch(pattern -> Pattern.matches(pattern, text)) != except;
        }
    }

    boolean appliesTo(Optional<PrincipalId> person, String action, String resource, Facts facts) {
        return principals.contain(person)
                && actions.match(action)
                && resources.match(resource)
                && conditions.stream().allMatch(condition -> condition.holds(facts));
    }

    /**
     * Returns whether it allows something to everybody. Only a condition on the person makes it private, since all else is
     * what the sender says.
     */
    boolean isPublic() {
        return allow && principals.isEverybody() && conditions.stream().noneMatch(Condition::namesPersons);
    }
}
