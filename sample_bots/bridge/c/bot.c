/* A bot in C without libraries: a scanner that looks for what it needs in each line.
 * The best verb first in Battle for Stalingrad, any option in other games.
 * Inside a JSON string every quote has a backslash, so `"chance":` is never part of a text. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *verb; int worth; } WORTH[] = {
    {"participants", 4}, {"attack", 3}, {"to", 2}, {"move", -1}, {"buy", 6}, {"play", 1},
    {"fire", -1}, {"retreat", 5}, {"ration", 4}, {"place_ration", 3}, {"ignore", 8},
    {"destroy", -6}, {"destroy_own", -6}, {"discard", -2},
};

/* Where the value of a member begins, between two places; NULL if it is not there. */
static const char *find(const char *from, const char *to, const char *name) {
    const char *at = memmem(from, to - from, name, strlen(name));
    return at ? at + strlen(name) : NULL;
}

/* What the option between two places is worth. */
static int score(const char *from, const char *to) {
    int worth = 0;
    const char *verb = find(from, to, "\"verb\":\"");
    const char *area = find(from, to, "\"area\":\""), *rations = find(from, to, "\"rations\":");
    for (size_t k = 0; verb && k < sizeof WORTH / sizeof *WORTH; k++) {
        size_t size = strlen(WORTH[k].verb);
        if (!strncmp(verb, WORTH[k].verb, size) && verb[size] == '"') worth = WORTH[k].worth;
    }
    if (area && find(area, to, ".C\"")) worth += 2;
    return rations ? worth + atoi(rations) : worth;
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    while ((size = getline(&line, &room, stdin)) > 0) {
        const char *end = line + size, *chance = find(line, end, "\"chance\":"), *option;
        if (!find(line, end, "\"type\":\"decide\"") || !chance) continue;
        unsigned long drawn = strtoul(chance, NULL, 10);
        int best = 0, equal = 0, answer = 0, is_first = 1;
        /* Twice over the options: what is best and how many are, then which of those. */
        for (int round = 0; round < 2; round++) {
            int left = equal ? (int)(drawn % equal) : 0;
            option = find(line, end, "{\"index\":");
            while (option) {
                const char *next = find(option, end, "{\"index\":");
                int worth = score(option, next ? next : end);
                if (round == 0 && (is_first || worth > best)) best = worth, equal = 0, is_first = 0;
                if (round == 0 && worth == best) equal++;
                if (round == 1 && worth == best && left-- == 0) answer = atoi(option);
                option = next;
            }
        }
        printf("%d\n", answer);
        fflush(stdout); /* each answer goes out at once */
    }
    return 0;
}
