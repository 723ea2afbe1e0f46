package io.bulwark.protocol.mutation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a small change of production code that breaks a rule. The annotated test must fail with the change.
 * {@link PlantedBugs} applies the changes one at a time.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Repeatable(PlantedBug.Several.class)
public @interface PlantedBug {
    /** The class to change, or one nested in it. */
    Class<?> in() default void.class;

    /** The full name of the class, where the test cannot name the class itself. */
    String inClass() default "";

    /** The rule that holds without the change, as a sentence. */
    String rule();

    /** Java code that stands exactly once in the source of the class; white space and comments do not count. */
    String replace();

    /** The code in its place. */
    String with();

    /** The number of seeds that a test may try which tries several ({@code bulwark.runs}); the first is 1. */
    int runs() default 6;

    /** Several planted bugs at one test. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface Several {
        PlantedBug[] value();
    }
}
