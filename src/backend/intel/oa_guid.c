/*
 * Sets of registers by the UUID under which they are uploaded. Pure, const.
 *
 * Sources: the sets of the IGT test suite; the test sets that kernels 4.14 to 5.7 had built in; our own (oa_small.c).
 */
#include "oa.h"

static const struct oa_guid guids[] = {
    /* the vendor's sets */
    {"a490e9d2-55b3-4db0-8dab-53011032c5f3", OA_HSW, OA_SET_RENDER_BASIC, 0},
    {"b344c8cb-a291-4cbf-aa9c-b40213bfc96f", OA_HSW, OA_SET_COMPUTE_BASIC, 0},
    {"b541bd57-0e0f-4154-b4c0-5858010a2bf7", OA_BDW, OA_SET_RENDER_BASIC, 0},
    {"35fbc9b2-a891-40a6-a38d-022bb7057552", OA_BDW, OA_SET_COMPUTE_BASIC, 0},
    {"d6de6f55-e526-4f79-a6a6-d7315c09044e", OA_BDW, OA_SET_TEST_OA, 0},
    {"9d8a3af5-c02c-4a4a-b947-f1672469e0fb", OA_CHV, OA_SET_RENDER_BASIC, 0},
    {"f522a89c-ecd1-4522-8331-3383c54af5f5", OA_CHV, OA_SET_COMPUTE_BASIC, 0},
    {"4a534b07-cba3-414d-8d60-874830e883aa", OA_CHV, OA_SET_TEST_OA, 0},
    {"07b25942-d9fd-4fce-bd58-e29abd66b7de", OA_SKL, OA_SET_RENDER_BASIC, 2},
    {"00b80b4c-d215-4378-9015-da3dda3b61ea", OA_SKL, OA_SET_COMPUTE_BASIC, 2},
    {"c5384091-ce4c-406c-ab4d-4c530f71c7ae", OA_SKL, OA_SET_TEST_OA, 2},
    {"21fef15a-83f4-4ffa-bb81-7da6e38b8e4b", OA_SKL, OA_SET_RENDER_BASIC, 3},
    {"4320492b-fd03-42ac-922f-dbe1ef3b7b58", OA_SKL, OA_SET_COMPUTE_BASIC, 3},
    {"14cadcfd-fb3a-46a3-8c13-0a4f850a4b18", OA_SKL, OA_SET_TEST_OA, 3},
    {"95322a71-bb05-4437-bc27-f7dd7b27d136", OA_SKL, OA_SET_RENDER_BASIC, 4},
    {"7277228f-e7f3-4743-945a-6a2049d11377", OA_SKL, OA_SET_COMPUTE_BASIC, 4},
    {"c1c2d40e-652a-482c-98fc-28bdb7c6ee44", OA_SKL, OA_SET_TEST_OA, 4},
    {"22b9519a-e9ba-4c41-8b54-f4f8ca14fa0a", OA_BXT, OA_SET_RENDER_BASIC, 0},
    {"012d72cf-82a9-4d25-8ddf-74076fd30797", OA_BXT, OA_SET_COMPUTE_BASIC, 0},
    {"5ee72f5c-092f-421e-8b70-225f7c3e9612", OA_BXT, OA_SET_TEST_OA, 0},
    {"d72df5c7-5b4a-4274-a43f-00b0fd51fc68", OA_GLK, OA_SET_RENDER_BASIC, 0},
    {"814285f6-354d-41d2-ba49-e24e622714a0", OA_GLK, OA_SET_COMPUTE_BASIC, 0},
    {"dd3fd789-e783-4204-8cd0-b671bbccb0cf", OA_GLK, OA_SET_TEST_OA, 0},
    {"99c1a40e-a090-4354-86e3-4d068bb1917e", OA_KBL, OA_SET_RENDER_BASIC, 2},
    {"12994724-3a5a-4303-bb3c-ba0175d2c200", OA_KBL, OA_SET_COMPUTE_BASIC, 2},
    {"cd4b577b-073a-423f-a948-e198dd818c71", OA_KBL, OA_SET_TEST_OA, 2},
    {"17b4f3e0-d578-4ae3-b7a8-98d756d1e0df", OA_KBL, OA_SET_RENDER_BASIC, 3},
    {"a5dc0bc5-d6fa-4f3a-9979-d3248c786042", OA_KBL, OA_SET_COMPUTE_BASIC, 3},
    {"bb3344bf-2551-40f7-b75f-cbf29e4195f7", OA_KBL, OA_SET_TEST_OA, 3},
    {"7fa796a4-0c7a-4201-afc6-cff0b2f528a2", OA_CFL, OA_SET_RENDER_BASIC, 2},
    {"a4985100-5f76-4822-8ca7-67908cb26274", OA_CFL, OA_SET_COMPUTE_BASIC, 2},
    {"d3c99326-e161-4e44-9745-7772bdc579c5", OA_CFL, OA_SET_TEST_OA, 2},
    {"b316bcab-212f-4228-97de-af6b5a1a2ea1", OA_CFL, OA_SET_RENDER_BASIC, 3},
    {"d2eec5b1-4dd8-4170-ae83-9531abd0692f", OA_CFL, OA_SET_COMPUTE_BASIC, 3},
    {"f240ef8d-4a2e-4961-a63c-cc43b01ed923", OA_CFL, OA_SET_TEST_OA, 3},
    {"2d975e19-7130-41d2-b06f-79d74f91e7c8", OA_CNL, OA_SET_RENDER_BASIC, 0},
    {"0b128ae2-ed06-481e-afe3-2404aab91415", OA_CNL, OA_SET_COMPUTE_BASIC, 0},
    {"99517a69-b9a7-4124-8f59-06645ea13187", OA_CNL, OA_SET_TEST_OA, 0},
    {"e3cd52cf-c6b0-4019-b369-3bc9c75a0cbc", OA_ICL, OA_SET_RENDER_BASIC, 0},
    {"04546170-d541-4804-96f8-007a454a3f2c", OA_ICL, OA_SET_COMPUTE_BASIC, 0},
    {"e617cfd5-6cc5-4143-8994-cd36cebb921f", OA_ICL, OA_SET_TEST_OA, 0},
    {"c693e665-867f-4362-91b6-85337f932010", OA_EHL, OA_SET_RENDER_BASIC, 0},
    {"ae4d01a9-fe55-453c-8c7a-036acd5eacff", OA_EHL, OA_SET_COMPUTE_BASIC, 0},
    {"4cbcfaf7-3c0c-42b8-a324-b1e58329c732", OA_EHL, OA_SET_TEST_OA, 0},
    {"c17af13d-3953-432b-9bd1-81346b4c2092", OA_TGL, OA_SET_RENDER_BASIC, 1},
    {"79a0514e-40d7-437a-90cf-33e02857adc6", OA_TGL, OA_SET_COMPUTE_BASIC, 1},
    {"6f27aaed-4f08-4e0f-95a9-231d9b4fa111", OA_TGL, OA_SET_TEST_OA, 1},
    {"0fc397c0-4833-492c-9ccd-4929d574d5b8", OA_TGL, OA_SET_RENDER_BASIC, 2},
    {"397a46d9-03dd-4696-8196-270362e1c575", OA_TGL, OA_SET_COMPUTE_BASIC, 2},
    {"6607f034-d053-40d1-8215-67c07f3041bb", OA_TGL, OA_SET_TEST_OA, 2},
    {"5b492c36-73f7-4827-83b3-c6863697ec51", OA_RKL, OA_SET_RENDER_BASIC, 0},
    {"09740672-ccc3-48da-a5bc-64994fe3a0a7", OA_RKL, OA_SET_COMPUTE_BASIC, 0},
    {"74dbc739-d871-41b5-be7b-fb547ac5bec9", OA_RKL, OA_SET_TEST_OA, 0},
    {"1caf6b6d-a1ef-40d3-9033-311e482b826e", OA_DG1, OA_SET_RENDER_BASIC, 0},
    {"e347a2bd-079d-4a77-b546-c3c114c55bae", OA_DG1, OA_SET_COMPUTE_BASIC, 0},
    {"23f51139-6973-4b45-a211-778834ce2c9a", OA_DG1, OA_SET_TEST_OA, 0},
    {"4b886bf3-61ff-4381-9994-ac9b91202fc7", OA_ADL, OA_SET_RENDER_BASIC, 0},
    {"eb6a0ef8-4e8f-41fa-85ba-686835711f6b", OA_ADL, OA_SET_COMPUTE_BASIC, 0},
    {"89173c19-fcfe-48da-ac26-fb64425f141b", OA_ADL, OA_SET_TEST_OA, 0},
    {"f5b8f05e-c84c-4f1c-bb05-68fbea73879b", OA_DG2, OA_SET_RENDER_BASIC, 1},
    {"53ee6271-905c-4b2a-b449-9117ffd10a48", OA_DG2, OA_SET_COMPUTE_BASIC, 1},
    {"57f210de-b537-464a-af7b-7dfe2f3780c1", OA_DG2, OA_SET_TEST_OA, 1},
    {"0692a728-614d-4d12-8c03-7b3ffe961ef8", OA_DG2, OA_SET_RENDER_BASIC, 2},
    {"ccde9a29-a5c5-4a9e-b7f5-ec1092387e2a", OA_DG2, OA_SET_COMPUTE_BASIC, 2},
    {"cfac9130-4f6a-4a2a-aafc-9e88751ce983", OA_DG2, OA_SET_TEST_OA, 2},
    {"47b237c5-ed48-465b-b869-0d7ef59a6982", OA_DG2, OA_SET_RENDER_BASIC, 3},
    {"1643fb69-a674-4438-8b44-840e988877bd", OA_DG2, OA_SET_COMPUTE_BASIC, 3},
    {"7389b9c9-de73-468d-83a8-b27776215e6b", OA_DG2, OA_SET_TEST_OA, 3},
    {"232e858b-7116-44e8-a4be-856c59026650", OA_MTL, OA_SET_RENDER_BASIC, 2},
    {"fea2b2b7-a072-41c5-9092-2d7c48bb56c6", OA_MTL, OA_SET_COMPUTE_BASIC, 2},
    {"d0ed8afd-ad64-4774-8788-1a15f4ab7829", OA_MTL, OA_SET_TEST_OA, 2},
    {"1124d1b6-6182-4b5a-950b-27b38ef7c996", OA_MTL, OA_SET_RENDER_BASIC, 3},
    {"522743d7-4e01-461a-8600-7904e8ddc80c", OA_MTL, OA_SET_COMPUTE_BASIC, 3},
    {"7272a7b8-6df2-4180-a95f-2ef7ad4412cc", OA_MTL, OA_SET_TEST_OA, 3},
    /* test sets of old kernels, where they differ from those above */
    {"403d8832-1a27-4aa6-a64e-f5389ce7b212", OA_HSW, OA_SET_TEST_OA, 0},
    {"1651949f-0ac0-4cb1-a06f-dafd74a407d1", OA_SKL, OA_SET_TEST_OA, 2},
    {"2b985803-d3c9-4629-8a4f-634bfecba0e8", OA_SKL, OA_SET_TEST_OA, 3},
    {"882fa433-1f4a-4a67-a962-c741888fe5f5", OA_SKL, OA_SET_TEST_OA, 4},
    {"baa3c7e4-52b6-4b85-801e-465a94b746dd", OA_KBL, OA_SET_TEST_OA, 2},
    {"f1792f32-6db2-4b50-b4b2-557128f1688d", OA_KBL, OA_SET_TEST_OA, 3},
    {"74fb4902-d3d3-4237-9e90-cbdc68d0a446", OA_CFL, OA_SET_TEST_OA, 2},
    {"577e8e2c-3fa0-4875-8743-3538d585e3b0", OA_CFL, OA_SET_TEST_OA, 3},
    {"db41edd4-d8e7-4730-ad11-b9a2d6833503", OA_CNL, OA_SET_TEST_OA, 0},
    {"a291665e-244b-4b76-9b9a-01de9d3c8068", OA_ICL, OA_SET_TEST_OA, 0},
    {"80a833f0-2504-4321-8894-e9277844ce7b", OA_TGL, OA_SET_TEST_OA, 0},
    /* our own */
    {"e5e48b86-5922-4693-82ba-261d0f120939", OA_BDW, OA_SET_SMALL, 0},
    {"7c996dfc-068c-4555-88d2-4ac41667ae0a", OA_SKL, OA_SET_SMALL, 0},
    {"4b736ce4-2779-48da-a8e2-43241b8af5d0", OA_KBL, OA_SET_SMALL, 0},
    {"fa80aa3b-9f5d-4d8a-95df-ab1591534f90", OA_CFL, OA_SET_SMALL, 0},
    {"b1be4eef-be2f-4b1f-bab1-1e7012059728", OA_ICL, OA_SET_SMALL, 0},
    {"65856b82-80a0-4c8f-9694-af3424b1c3f8", OA_TGL, OA_SET_SMALL, 0},
    {"9611d010-5169-440c-9ad9-f3f4e3390fd3", OA_ADL, OA_SET_SMALL, 0},
    {"b8c078ee-5ce3-4d2e-8f22-065b546d96ac", OA_DG2, OA_SET_SMALL, 0},
    {"2ca0329e-4301-42ed-b522-95f1cba36ffb", OA_MTL, OA_SET_SMALL, 0},
};

#define GUIDS (sizeof(guids) / sizeof(guids[0]))

const struct oa_guid *oa_guid_at(size_t i) {
    return i < GUIDS ? &guids[i] : NULL;
}

const struct oa_guid *oa_guid_find(struct span uuid) {
    for (size_t i = 0; i < GUIDS; i++) {
        if (oa_same_text(uuid, guids[i].uuid))
            return &guids[i];
    }
    return NULL;
}

const char *oa_small_uuid(enum oa_platform p) {
    for (size_t i = 0; i < GUIDS; i++) {
        if (guids[i].set == OA_SET_SMALL && guids[i].platform == p)
            return guids[i].uuid;
    }
    return NULL;
}
