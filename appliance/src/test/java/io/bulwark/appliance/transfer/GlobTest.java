package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Patterns with the meaning that rclone's documentation on filtering gives them. */
class GlobTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "file.jpg | file.jpg | yes",
                "file.jpg | dir/file.jpg | yes",
                "file.jpg | afile.jpg | no",
                "file.jpg | dir/afile.jpg | no",
                "/file.jpg | file.jpg | yes",
                "/file.jpg | dir/file.jpg | no",
                "*.jpg | file.jpg | yes",
                "*.jpg | dir/sub/file.jpg | yes",
                "*.jpg | file.jpg.txt | no",
                "dir/* | dir/file | yes",
                "dir/* | dir/sub/file | no",
                "dir/** | dir/sub/file | yes",
                "dir/** | a/dir/sub/file | yes",
                "/dir/** | a/dir/sub/file | no",
                "dir/ | a/dir/sub/file | yes",
                "dir/ | dir | no",
                "potato** | potatoes/and/more | yes",
                "l?ss | less | yes",
                "l?ss | floss | no",
                "l?ss | l/ss | no",
                "h[ae]llo | hello | yes",
                "h[ae]llo | hxllo | no",
                "h[^ae]llo | hxllo | yes",
                "[a-c]at | bat | yes",
                "[[:digit:]]x | 7x | yes",
                "[[:digit:]]x | ax | no",
                "[&&b] | & | yes",
                "[a\\]b] | ] | yes",
                "{one,two}_potato | two_potato | yes",
                "{one,two}_potato | three_potato | no",
                "a{b,c{d,e}}f | acef | yes",
                "a,b | a,b | yes",
                "\\*.jpg | *.jpg | yes",
                "\\*.jpg | a.jpg | no",
                "\\\\.jpg | \\.jpg | yes",
                "{{.*}}.txt | any/thing.txt | yes",
                "{{[0-9]{4}}}x | 2026x | yes",
                "{{[0-9]{4}}}x | 226x | no",
                "a.b | axb | no",
                "a+(b)|c^$ | a+(b)|c^$ | yes"
            },
            quoteCharacter = '"')
    void aRuleMatchesAsInRclone(String rule, String path, String matches) {
        assertThat(Glob.ofRule(rule).matches(path)).as("%s on %s", rule, path).isEqualTo(matches.equals("yes"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "***",
                "a***b",
                "ab]c",
                "ab[c",
                "ab{c",
                "ab}c",
                "ab{{cd",
                "[a--b]",
                "a\\",
                "[]",
                "[[:nose:]]",
                "{{(}}"
            })
    void aBadPatternIsRefusedWithItsText(String rule) {
        assertThatThrownBy(() -> Glob.ofRule(rule))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(rule);
    }

    @Test
    void aNewLineIsACharacterLikeOthers() {
        assertThat(Glob.ofPath("a*b").matches("a\nb")).isTrue();
    }

    @Test
    void thePlainPartOfAPatternIsFound() {
        assertThat(Glob.isPattern("a/b\\*")).isFalse();
        assertThat(Glob.isPattern("a/b*")).isTrue();
        assertThat(Glob.literalPrefix("a\\[1\\]/b*/c")).isEqualTo("a[1\\]/b");
        assertThat(Glob.belowPlainDirectory("a/b/c*/d")).isEqualTo("c*/d");
        assertThat(Glob.belowPlainDirectory("*")).isEqualTo("*");
        assertThat(Glob.unescaped("a\\b\\*")).isEqualTo("a\\b*");
    }

    @Test
    void theFirstRuleThatMatchesDecides() {
        TreeFilter filter = TreeFilter.ofLines(
                List.of("# comment", "; comment", "", "- secret*.jpg", "+ *.jpg", "+ file2.avi", "- *"));
        assertThat(filter.accepts("dir/a.jpg")).isTrue();
        assertThat(filter.accepts("secret1.jpg")).isFalse();
        assertThat(filter.accepts("file2.avi")).isTrue();
        assertThat(filter.accepts("other")).isFalse();
        assertThat(TreeFilter.ofLines(List.of("- *", "!")).accepts("other")).isTrue();
        assertThatThrownBy(() -> TreeFilter.ofLines(List.of("*.jpg")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("*.jpg");
    }

    @Test
    void includesLeaveOutTheRestAndExcludesDoNot() {
        TreeFilter including = TreeFilter.including(List.of("*.jpg", "/top/**"));
        assertThat(including.accepts("a/b.jpg")).isTrue();
        assertThat(including.accepts("top/x/y")).isTrue();
        assertThat(including.accepts("a/top/y")).isFalse();
        TreeFilter excluding = TreeFilter.excluding(List.of("*.jpg"));
        assertThat(excluding.accepts("a/b.jpg")).isFalse();
        assertThat(excluding.accepts("a/b")).isTrue();
        assertThat(including.and(excluding).accepts("a/b.jpg")).isFalse();
        assertThat(including.and(excluding).accepts("top/x")).isTrue();
        assertThat(TreeFilter.ALL.accepts("any")).isTrue();
    }

    @Test
    void aDirectoryIsSkippedOnlyIfNothingBelowIsTaken() {
        TreeFilter filter = TreeFilter.excluding(List.of("/proc/**", "cache/", "*.tmp"));
        assertThat(filter.excludesAllBelow("proc")).isTrue();
        assertThat(filter.excludesAllBelow("a/cache")).isTrue();
        assertThat(filter.excludesAllBelow("a/proc")).isFalse();
        assertThat(filter.excludesAllBelow("x.tmp"))
                .as("files below have other names")
                .isFalse();
        assertThat(TreeFilter.ofLines(List.of("+ *.txt", "- /proc/**")).excludesAllBelow("proc"))
                .isFalse();
        assertThat(TreeFilter.ofLines(List.of("- *")).excludesAllBelow("proc")).isTrue();
    }
}
